import { expect } from "bun:test";
import fc from "fast-check";
import { readLogWindow } from "#planner/work/records/log_file.ts";
import { law } from "../../support/law.ts";
import { memoryLog } from "../../support/memory_log.ts";

const text = fc
  .array(fc.oneof(fc.constantFrom("\n", "\r\n", "😀", "ä", "2026-11-21T10:00:00.000Z x\n"), fc.string()))
  .map((parts) => parts.join("").toWellFormed());

law(
  "readLogWindow's answers join to the whole log, however they are cut",
  [text, fc.integer({ min: 1, max: 5 })],
  async (content, lines) => {
    const log = memoryLog(content);
    let joined = "";
    for (let offset = 0, more = true; more; ) {
      const window = await readLogWindow(log, { lines, offset, growing: false });
      expect(window.line_count).toBeLessThanOrEqual(lines);
      joined += window.content;
      offset = window.byte_offset;
      more = window.has_more;
    }
    expect(joined).toBe(content);
  },
);

const cuts = fc.array(fc.nat(200), { maxLength: 8 });

law(
  "readLogWindow loses and repeats nothing for a reader who follows while the log grows",
  [text, cuts, fc.integer({ min: 1, max: 3 })],
  async (content, sizes, lines) => {
    const bytes = new TextEncoder().encode(content);
    const grown = [...sizes.map((size) => Math.min(size, bytes.length)), bytes.length].sort((a, b) => a - b);
    let joined = "";
    let offset = 0;
    for (const [index, size] of grown.entries()) {
      const log = memoryLog(bytes.slice(0, size));
      const growing = index < grown.length - 1;
      for (let more = true; more; ) {
        const window = await readLogWindow(log, { lines, offset, growing });
        joined += window.content;
        offset = window.byte_offset;
        more = window.has_more;
      }
    }
    expect(joined).toBe(content);
  },
);

law(
  "readLogWindow's last lines are the end of all lines",
  [text, fc.integer({ min: 1, max: 6 }), fc.boolean()],
  async (content, lines, growing) => {
    const shown = growing ? content.slice(0, content.lastIndexOf("\n") + 1) : content;
    const all = shown.match(/[^\n]*\n|[^\n]+$/g) ?? [];

    const window = await readLogWindow(memoryLog(content), { lines, growing });

    expect(window.content).toBe(all.slice(-lines).join(""));
    expect(window.byte_offset).toBe(new TextEncoder().encode(shown).length);
  },
);
