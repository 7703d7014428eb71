/** The engine that runs this program, `Bun 1.4.5` or `Deno 2.9.5`; `Node.js` for any other. */
export function engine(): string {
  const { bun, deno, node } = process.versions as Readonly<Record<string, string | undefined>>;
  if (bun !== undefined) return `Bun ${bun}`;
  return deno === undefined ? `Node.js ${node}` : `Deno ${deno}`;
}
