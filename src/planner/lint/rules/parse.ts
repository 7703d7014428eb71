import type { Rule } from "../rule.ts";

/** The file can be read and its frontmatter parsed; a broken file gets no other finding. */
export const parse: Rule = {
  name: "parse",
  *checkUnreadable({ line, message }) {
    yield line === null
      ? { severity: "error", field: "file", message: `cannot be read: ${message}` }
      : { severity: "error", field: "frontmatter", message: `cannot be parsed: ${message}` };
  },
};
