import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const MAX_START_MS = 60_000;

/** A backend that can be killed, and started again on its data. */
export class Backend {
  private child: ChildProcess | undefined;

  constructor(
    private readonly url: string,
    private readonly command: readonly string[],
  ) {
    process.once("exit", () => this.signal());
  }

  /** Starts it, and waits until it answers. */
  async start(): Promise<void> {
    const [program, ...args] = this.command;
    // A group of its own, so that what the command starts ends with it.
    const child = spawn(program!, args, { detached: true, stdio: "ignore" });
    this.child = child;
    await once(child, "spawn");
    const deadline = performance.now() + MAX_START_MS;
    while (!(await this.answers())) {
      if (child.exitCode !== null) {
        throw new Error(`The backend has ended with ${child.exitCode}.`);
      }
      if (performance.now() > deadline) {
        throw new Error(`No answer from ${this.url}/version.`);
      }
      await sleep(50);
    }
  }

  /** SIGKILL: it can finish nothing. */
  async kill(): Promise<void> {
    const ended = once(this.child!, "exit");
    this.signal();
    await ended;
  }

  private signal(): void {
    const pid = this.child?.pid;
    this.child = undefined;
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  }

  async answers(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(MAX_START_MS);
      return (await fetch(`${this.url}/version`, { signal })).ok;
    } catch {
      return false;
    }
  }
}
