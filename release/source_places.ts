/**
 * Names the places in `src` of a stack trace of a released executable:
 * `bun release/source_places.ts FOLDER < stack.txt`, with the unpacked `planner-<version>-source-maps.tar.xz`.
 */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";

const PLACE = /(?:\/\$bunfs\/root\/|[A-Z]:[\\/]~BUN[\\/]root[\\/])([\w.-]+?)(\.js)?:(\d+):(\d+)/g;

/** Returns the text with each place of the executable's code replaced by the place in the source. */
export function sourcePlaces(text: string, maps: string): string {
  return text.replace(PLACE, (place, chunk: string, ending: string | undefined, line: string, column: string) => {
    const file = join(maps, `${chunk}${ending ?? ""}.map`);
    if (!existsSync(file)) return place;
    const found = new SourceMap(JSON.parse(readFileSync(file, "utf8"))).findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in found)) return place;
    const source = found.originalSource.replace(/^(\.\.\/)+/, "");
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("Name the folder of the source maps: bun release/source_places.ts FOLDER");
  process.stdout.write(sourcePlaces(readFileSync(0, "utf8"), folder));
}
