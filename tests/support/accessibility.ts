import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe calls moderate, serious or critical on the page as it stands, one line for each rule. */
export async function seriousFaults(
  page: Page,
  options: { readonly contrastAlone: boolean },
): Promise<readonly string[]> {
  await page.evaluate(AXE);
  // A reply that is replaced is dimmed for a moment.
  await page.waitForFunction(() => document.querySelector(".outdated") === null);
  return page.evaluate(look, options);
}

/** Runs inside the page. Three rows of a table and three elements of a picture stand for all of them. */
async function look({ contrastAlone }: { readonly contrastAlone: boolean }): Promise<string[]> {
  interface Found {
    readonly violations: readonly {
      readonly impact: string;
      readonly id: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  }
  const { axe } = globalThis as unknown as { readonly axe: { run(where: object, options: object): Promise<Found> } };
  const element = "g[data-ref]";
  const exclude = ["tbody tr:nth-child(n + 4)", Array(4).fill(element).join(" ~ ")];
  // A picture's texts stand apart without blanks between them, which this rule takes for one word.
  const rules = { "label-content-name-mismatch": { enabled: false } };
  const { violations } = await axe.run({ exclude }, contrastAlone ? { runOnly: ["color-contrast"] } : { rules });
  return violations
    .filter(({ impact }) => impact !== "minor")
    .map(
      ({ id, nodes }) =>
        `${id} ${nodes
          .map(({ html }) => html.slice(0, 160))
          .slice(0, 3)
          .join(" | ")}`,
    );
}
