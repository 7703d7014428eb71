/** Returns the name and version of the running engine, `Bun 1.4.5` or `Deno 2.9.5`, or `Node.js` for any other. */
export function getEngineName(): string {
  const { bun, deno, node } = process.versions as Readonly<Record<string, string | undefined>>;
  if (bun !== undefined) return `Bun ${bun}`;
  return deno === undefined ? `Node.js ${node}` : `Deno ${deno}`;
}
