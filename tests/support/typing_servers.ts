import { DcServer } from "./dc_server.ts";
import { type Person, typeAll } from "./typing_person.ts";

/**
 * Types lines one after the other. `planner dc serve` runs beside those below it, on a free port in place of 8081, until the
 * last one; $TOKEN is what `planner dc token create` printed last. Returns all that the lines print.
 */
export async function typeBesideServer(by: Person, lines: readonly string[]): Promise<string> {
  const env: Record<string, string> = {};
  let printed = "";
  let server: DcServer | undefined;
  try {
    for (const line of lines) {
      const served = /^planner dc serve\b([^#]*)/.exec(line)?.[1];
      if (served !== undefined) {
        server = await DcServer.start(
          by.project,
          served.split(" ").filter((word) => word !== ""),
        );
        continue;
      }
      const address = server === undefined ? "127.0.0.1:8081" : new URL(server.url).host;
      const output = await typeAll(by, [line.replaceAll("127.0.0.1:8081", address)], env);
      if (line.startsWith("planner dc token create")) env["TOKEN"] = output.trim();
      printed += output;
    }
    if (server !== undefined) printed += await (await fetch(new URL("/readyz", server.url))).text();
    return printed;
  } finally {
    await server?.end();
  }
}
