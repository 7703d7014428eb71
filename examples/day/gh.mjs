/** A stub of `gh api` for `examples/day.mjs`: it keeps requests in a file in place of asking GitHub. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder, ...args] = process.argv.slice(2);
const file = join(folder, "requests.json");
const requests = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
const merged = join(folder, "merged.json");
const news = existsSync(merged) ? JSON.parse(readFileSync(merged, "utf8")) : {};
const path = args.at(-1);

if (args.includes("POST")) {
  const { title, body, base } = JSON.parse(readFileSync(0, "utf8"));
  const html_url = "https://github.example/acme/shop/pull/1";
  const head = { sha: "0".repeat(40) };
  requests.push({
    number: 1,
    html_url,
    state: "open",
    merged_at: null,
    merge_commit_sha: null,
    head,
    base: { ref: base },
    title,
    body,
  });
  writeFileSync(file, JSON.stringify(requests));
}
const shown = requests.map((request) => ({ ...request, ...news }));
process.stdout.write(JSON.stringify(args.includes("POST") || /\/pulls\/\d+$/.test(path) ? shown[0] : shown));
