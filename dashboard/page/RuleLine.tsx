import type { LimitConfig } from "../../src/client/index.js";
import type { Whole } from "../../src/dashboard/reads.js";
import { ruleAt, type Rule, type RuleSource } from "./rule.js";
import { useServerNow } from "./session.js";
import { describeLimit, modesOf, describeRule, formatTime } from "./words.js";

/** The rule that applies to all keys of a limit, and its modes. */
export function LimitRule({
  config,
  whole,
}: {
  config: LimitConfig;
  whole: Whole | undefined;
}) {
  if (whole === undefined) {
    return (
      <>
        <p class="meaning">{describeLimit(config)}</p>
        <Modes config={config} />
      </>
    );
  }
  const { value, overrides: ofLimit } = whole;
  return <RuleLine of={{ config, value, overrides: [], ofLimit }} hasModes />;
}

/** The rule that applies, and that of the code if it is another. */
export function RuleLine({
  of,
  hasModes = false,
}: {
  of: RuleSource;
  hasModes?: boolean;
}) {
  const now = useServerNow(1000);
  const rule = ruleAt(of, now);
  const isOfLimit = rule.by === "limit";
  return (
    <>
      {rule.by === undefined ? (
        <p class="meaning">{describeLimit(of.config)}</p>
      ) : (
        <>
          <p class="meaning in-force">
            {sayRule(rule, isOfLimit ? "for each key" : "for this key", now)}
          </p>
          <p class="meaning small">
            By an override of {isOfLimit ? "the whole limit" : "this key"}. The
            code says: {describeLimit(of.config)}.
          </p>
        </>
      )}
      {hasModes && <Modes config={enforcedBy(rule, of.config)} />}
    </>
  );
}

/** The config with the rule's `enforce`, unless it is enforced for a share of the keys. */
function enforcedBy(
  { config: { enforce } }: Rule,
  config: LimitConfig,
): LimitConfig {
  return typeof config.enforce === "number" ? config : { ...config, enforce };
}

export function Modes({ config }: { config: LimitConfig }) {
  return (
    <ul class="modes" aria-label="Mode">
      {modesOf(config).map((mode) => (
        <li key={mode}>{mode}</li>
      ))}
    </ul>
  );
}

function sayRule(
  { effect, config, until }: Rule,
  whom: string,
  now: number,
): string {
  const end =
    until === undefined ? "until cleared" : `until ${formatTime(until, now)}`;
  switch (effect) {
    case "banned":
      return config.enforce === false
        ? `Banned ${whom}, in a dry run that denies nothing, ${end}`
        : `Banned ${whom}, ${end}`;
    case "unlimited":
      return `Unlimited ${whom}, ${end}`;
    case "limited":
      return `${describeRule(config)}, ${whom}, ${end}`;
  }
}
