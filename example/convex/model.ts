import { SECOND } from "convex-rate-limiter";

/** How many tokens the model may write. */
export const MAX_TOKENS = 300;

/**
 * Stands in for a language model, so that this app needs no account: it waits for two seconds and
 * says the question backwards. Put a real call in its place; the rest stays.
 */
export async function callModel(
  question: string,
): Promise<{ text: string; tokens: number }> {
  await new Promise((resolve) => setTimeout(resolve, 2 * SECOND));
  if (question.includes("fail")) throw new Error("The model has failed.");
  const words = question.split(/\s+/);
  const text = `I am only a pretend model. Backwards, your question is: ${words.reverse().join(" ")}`;
  return { text, tokens: Math.min(20 + 2 * words.length, MAX_TOKENS) };
}
