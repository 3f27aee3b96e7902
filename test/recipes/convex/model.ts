/** A language model behind an API, for the recipes. */
export async function callModel(
  prompt: string,
): Promise<{ text: string; tokens: number }> {
  const response = await fetch("https://model.example.com/answers", {
    method: "POST",
    body: JSON.stringify({ prompt }),
  });
  if (!response.ok) throw new Error(`The model answered ${response.status}.`);
  return (await response.json()) as { text: string; tokens: number };
}
