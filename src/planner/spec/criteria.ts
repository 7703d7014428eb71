import { normalizeWord } from "./near.ts";
import { type BodyLine, findSections, type Section, visitUnfencedLines } from "./sections.ts";

export interface Criterion {
  /** Line in the body, from 1. */
  readonly line: number;
  /** Number among the items that a person sees, from 1: dropped ones and those of `NearItem` count too. */
  readonly number: number;
  /** Offset of the line in the body. */
  readonly start: number;
  /** The checkbox line, trimmed. */
  readonly text: string;
  /** Text of the checkbox line, without the checkbox. Records and acceptances know a criterion by it. */
  readonly label: string;
  /** The text's further lines as one; absent for a criterion of one line. */
  readonly continuation?: string;
  readonly checked: boolean;
  /** The command that checks the criterion, or null. */
  readonly verify: string | null;
  /** Line of that command in the body, from 1; null without a command. */
  readonly verifyLine: number | null;
}

/** Returns the whole text of a criterion. */
export function formatCriterionText({ label, continuation }: Pick<Criterion, "label" | "continuation">): string {
  return continuation === undefined ? label : `${label} ${continuation}`;
}

/** A criterion that a person dropped: `- [-] text – reason`. */
export interface DroppedCriterion {
  readonly line: number;
  readonly number: number;
  readonly label: string;
  readonly reason: string;
}

/** An item that looks like a criterion, or like a check, and is not read as one. */
export interface NearItem {
  /** Line in the body, from 1. */
  readonly line: number;
  /** Number of the item, as for a criterion; null for the line of a check. */
  readonly number: number | null;
  /** The line, trimmed. */
  readonly text: string;
  readonly label: string;
  /** What to write instead: `write '- [ ] text'`. */
  readonly advice: string;
}

/** Everything that a body says about its criteria, in order. */
interface CriteriaList {
  readonly criteria: readonly Criterion[];
  readonly dropped: readonly DroppedCriterion[];
  readonly near: readonly NearItem[];
}

const MAX_QUOTED_CHARS = 100;

/** Quotes a line for a message. */
export function quoteItem(text: string): string {
  return `'${text.length <= MAX_QUOTED_CHARS ? text : `${text.slice(0, MAX_QUOTED_CHARS).toWellFormed()}…`}'`;
}

export const CRITERIA_SECTION = "Acceptance Criteria";

/** Sections that planner and agents write; without a section of criteria, only boxes outside of them count. */
const WRITTEN_SECTIONS = ["Output", "Review", "Approval Discussion"] as const;

/**
 * Reads the criteria of the first "Acceptance Criteria" section outside code and comments; without such a section,
 * those of the whole body except what planner wrote. A later section is a report about the criteria, such as an agent's
 * under `## Output`. Source: docs/decisions.md#s-10.
 */
export function readCriteria(body: string): CriteriaList {
  const section = findSections(body, CRITERIA_SECTION)[0];
  const skipped = section === undefined ? WRITTEN_SECTIONS.flatMap((name) => findSections(body, name)) : [];
  const reader = new CriteriaReader(section !== undefined);
  const visit = (line: BodyLine): boolean => {
    if (section !== undefined && line.start >= section.end) return true;
    if (!skipped.some((one) => isLineInSection(line, one))) reader.readLine(line);
    return false;
  };
  const heading = section?.heading;
  visitUnfencedLines(body, visit, heading && { number: heading.line + 1, start: heading.next });
  return reader.finish();
}

/** Returns the checkbox lines that count as criteria; see `readCriteria`. */
export function parseCriteria(body: string): readonly Criterion[] {
  return readCriteria(body).criteria;
}

function isLineInSection({ start }: BodyLine, { heading, end }: Section): boolean {
  return start >= heading.next && start < end;
}

/** Maximum number of items that a message names. */
const MAX_NAMED_ITEMS = 3;

/**
 * Says which items of a spec look like criteria and are not read as such, with their lines and what is meant; null
 * without one. A spec with such an item is not verified and not completed: it may ask for more than planner reads.
 */
export function describeNearItems(spec: { readonly body: string; readonly bodyLine: number }): string | null {
  const { near } = readCriteria(spec.body);
  if (near.length === 0) return null;
  const named = near
    .slice(0, MAX_NAMED_ITEMS)
    .map(({ line, text, advice }) => `line ${spec.bodyLine + line - 1} ${quoteItem(text)}: ${advice}`);
  const more = near.length > named.length ? `; and ${near.length - named.length} more` : "";
  const count =
    near.length === 1 ? "1 line looks like a criterion and is" : `${near.length} lines look like criteria and are`;
  return `${count} not read as one: ${named.join("; ")}${more}`;
}

// `[x](…)` and `[x][…]` are links with the text x, not checkboxes.
const CHECKBOX_PATTERN = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?!\(|\[[^\]]+\])/;

const DROPPED_PATTERN = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[-~]\][ \t]+(\S.*)$/;
const REASON_PATTERN = /^(.*?\S)\s+(?:[–—]|--)\s+(\S.*)$/;

// A verify line is below its criterion and indented more, as a separate line or a list item.
const VERIFY_PATTERN = /^([ \t]+)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?verify:[ \t]+(\S.*)$/i;
const NEAR_VERIFY_PATTERN =
  /^\s*(?:(?:[-*+•]|\d{1,9}[.)])\s*)?[*_`]*(?:verify|verfiy|verifiy|veryfy|verfy)[*_`]*\s*[:：=][*_`]*\s*(\S.*)$/i;

const BLANK = String.raw`[\s\u200b\u2800]`;
const LINE_PATTERN = new RegExp(
  `^(${BLANK}*)((?:>${BLANK}*)*)((?:[-*+•‣●○▪◦·–—|]|\\(?(?:\\d{1,9}|[a-zA-Z])[.)])?)(${BLANK}*)(.*)$`,
);
const BULLET_PATTERN = /^(?:[-*+•‣●○▪◦]|\d{1,9}[.)])$/;

// Marks that people and programs write between the brackets of a box, and boxes of one character. A letter or a number
// between brackets is otherwise a reference.
const MARK = `[xXхХ×✕✓✔✗✘√☑☒✅❌vVyYnN~/>!?*+.o–—-]`;
const BOX_PATTERN = new RegExp(
  `^[*_~]*(?:\\\\?[[［【〔]${BLANK}*(${MARK}?)${BLANK}*\\\\?[\\]］】〕](?!\\(\\S*[^\\s)]|:|\\[[^\\]])|([☐☑☒⬜✅❌✔✓✗✘🔲]))`,
  "u",
);
/** Marks that mean a box outside a section of criteria too, where a list may be about anything. */
const PLAIN_MARKS = "xXхХ✓✔√☑☐☒-~–vVyY";
const TICKS = "xXхХ×✓✔√☑✅vVyY";

// An item that begins with a link, an image, a footnote or an address, perhaps after a word such as `See`.
const LINK_PATTERN =
  /^(?:see(?: also)?:?\s+|[^:[\]`]{1,40}:\s+)?(?:!?\[[^\]]*[^\]\s][^\]]*\][([]|\[\^|\[\d{1,3}\]|<?https?:\/\/)/i;
// A shortcut reference is the whole item: `[RFC 2119]`.
const REFERENCE_PATTERN = /^\[[^\]]{2,}\]\.?$/;

const ASIDE_PATTERN =
  /^\W*(?:notes?|references?|links?|see also|out of scope|non-?goals?|background|context|examples?|hints?|assumptions?|resources|legend)\b[^.]{0,30}$/i;
const HEADING_PATTERN = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const LABEL_PATTERN = /^(?:\*\*[^*]+\*\*:?|__[^_]+__:?|[^:]{1,60}:(?:\*\*|__)?)[ \t]*$/;
/** Level of a line in bold type that people write in place of a heading. */
const LABEL_LEVEL = 7;

/** Reads the lines of a body that may hold criteria, one after the other. */
class CriteriaReader {
  readonly #criteria: Criterion[] = [];
  readonly #dropped: DroppedCriterion[] = [];
  readonly #near: NearItem[] = [];
  /** Whether the lines are in a section of criteria, in which every list item is meant as one. */
  #isSection: boolean;
  /** Level of a heading like "Acceptance Criterion", which planner does not read as the section's; null without one. */
  #nearLevel: number | null = null;
  #isAside = false;
  #count = 0;
  /** Columns of the last box, of the last item that is not below another, and of the open items' texts. */
  #boxIndent = 0;
  #topIndent: number | null = null;
  #contents: number[] = [];
  #isAfterBlank = true;
  #isAfterCode = false;
  /** Whether the last line was text that is no heading, item or check. */
  #isParagraph = false;
  /** Whether the next line may continue the last criterion's text. */
  #isInCriterion = false;
  /** A dropped criterion whose reason may be on the next line. */
  #reasonless: { readonly line: BodyLine; readonly number: number; readonly label: string } | null = null;

  constructor(isSection: boolean) {
    this.#isSection = isSection;
  }

  finish(): CriteriaList {
    this.#settleReason(null);
    const byLine = (a: NearItem, b: NearItem) => a.line - b.line;
    return { criteria: this.#criteria, dropped: this.#dropped, near: this.#near.sort(byLine) };
  }

  readLine(line: BodyLine): void {
    if (line.text.trim() === "") {
      this.#isAfterBlank = true;
      this.#isInCriterion = false;
      return;
    }
    const indent = measureIndent(line.text);
    const isCode = this.#isCode(indent);
    const wasInCriterion = this.#isInCriterion && !isCode;
    this.#isInCriterion = false;
    if (!isCode) this.#readText(line, indent);
    if (wasInCriterion && this.#isParagraph) this.#continueCriterion(line.text);
    this.#isAfterCode = isCode;
    this.#isAfterBlank = false;
  }

  /** Returns whether a line is indented code: four columns deeper than the text around it, after a blank line. */
  #isCode(indent: number): boolean {
    if (this.#isAfterBlank) while ((this.#contents.at(-1) ?? 0) > indent) this.#contents.pop();
    return (this.#isAfterBlank || this.#isAfterCode) && indent - (this.#contents.at(-1) ?? 0) >= 4;
  }

  #readText(line: BodyLine, indent: number): void {
    this.#isParagraph = false;
    if (this.#readHeading(line.text)) return;
    const box = CHECKBOX_PATTERN.exec(line.text);
    const dropped = box === null ? DROPPED_PATTERN.exec(line.text) : null;
    if (box !== null || dropped !== null) {
      this.#settleReason(null);
      this.#openItem(indent, line.text);
      if (box !== null) this.#addCriterion(line, indent, box);
      else this.#addDropped(line, dropped?.[1] ?? "");
    } else if (!this.#readCheck(line, indent)) this.#readOther(line, indent);
  }

  #addCriterion({ number: at, start, text }: BodyLine, indent: number, box: RegExpExecArray): void {
    const label = text.slice(box[0].length).replace(/\s+/g, " ").trim();
    const found = { line: at, number: ++this.#count, start, text: text.trim(), label, checked: box[2] !== " " };
    this.#criteria.push({ ...found, verify: null, verifyLine: null });
    this.#boxIndent = indent;
    this.#isAside = false;
    this.#isInCriterion = true;
  }

  /** Adds a line that Markdown shows as part of the last criterion's text. */
  #continueCriterion(text: string): void {
    const last = this.#criteria.at(-1);
    if (last === undefined) return;
    const more = [last.continuation ?? "", text].join(" ").replace(/\s+/g, " ").trim();
    this.#criteria[this.#criteria.length - 1] = { ...last, continuation: more };
    this.#isInCriterion = true;
  }

  #addDropped(line: BodyLine, text: string): void {
    const [, label = text, reason] = REASON_PATTERN.exec(text) ?? [];
    const item = { line, number: ++this.#count, label: label.trim() };
    if (reason === undefined) this.#reasonless = item;
    else this.#dropped.push({ ...item, line: line.number, reason: reason.trim() });
  }

  /** Ends the wait for a dropped criterion's reason. Without one, the item is not known to be dropped. */
  #settleReason(reason: string | null): void {
    if (this.#reasonless === null) return;
    const { line, number, label } = this.#reasonless;
    this.#reasonless = null;
    if (reason !== null) this.#dropped.push({ line: line.number, number, label, reason });
    else {
      const advice = `write ${quoteItem(`- [ ] ${label}`)}, or the reason behind it after ' – ' if it does not apply`;
      this.#near.push({ line: line.number, number, text: line.text.trim(), label, advice });
    }
  }

  /** Reads the command that checks the last criterion, or reports a line that looks like one. */
  #readCheck({ number, text }: BodyLine, indent: number): boolean {
    const last = this.#criteria.at(-1);
    const check = VERIFY_PATTERN.exec(text);
    const near = check ?? NEAR_VERIFY_PATTERN.exec(text);
    if (near === null || this.#topIndent === null) return false;
    // The check of an item that is no criterion is not that of the criterion before it.
    if (last?.number !== this.#count) return true;
    if (check !== null && last.verify === null && indent > this.#boxIndent) {
      const verify = removeBackticks(check[2] ?? "");
      this.#criteria[this.#criteria.length - 1] = { ...last, verify, verifyLine: number };
      return true;
    }
    const command = removeBackticks(near.at(-1) ?? "");
    const advice =
      last.verify === null
        ? `write ${quoteItem(`  verify: ${command}`)} below its criterion, indented more`
        : "write one check for each criterion, such as two commands with '&&'";
    this.#near.push({ line: number, number: null, text: text.trim(), label: command, advice });
    return true;
  }

  /** Reads a line without a box that counts: a reason, an item that looks like a criterion, or other text. */
  #readOther(line: BodyLine, indent: number): void {
    const item = parseItem(line.text);
    const isNested = this.#topIndent !== null && indent > this.#topIndent;
    this.#settleReason(isNested ? item.words : null);
    const box = this.#findBox(item);
    if (box !== null || (item.isItem && !isNested && this.#isMeantAsCriterion(item.rest))) {
      const label = cleanLabel(item.rest.slice(box?.length ?? 0));
      const advice = `write ${quoteItem(`- [${box?.isTicked === true ? "x" : " "}] ${label}`)}`;
      this.#near.push({ line: line.number, number: ++this.#count, text: line.text.trim(), label, advice });
    }
    if (item.isItem || box !== null) this.#openItem(indent, line.text);
    else this.#readParagraph(line.text, isNested);
  }

  #readParagraph(text: string, isNested: boolean): void {
    this.#isParagraph = true;
    if (this.#isAfterBlank && !isNested) this.#leaveList();
    if (LABEL_PATTERN.test(text)) this.#isAside = ASIDE_PATTERN.test(text);
  }

  /** Returns whether a list item without a box is meant as a criterion: any in the section but links and asides. */
  #isMeantAsCriterion(rest: string): boolean {
    return this.#isStrict && !this.#isAside && !LINK_PATTERN.test(rest) && !REFERENCE_PATTERN.test(rest);
  }

  /** Finds what looks like a box at the beginning of an item. Outside a section only in lists, and plain marks. */
  #findBox(item: ItemParts): { readonly length: number; readonly isTicked: boolean } | null {
    const { marker, quote, rest } = item;
    const box = BOX_PATTERN.exec(rest);
    if (box === null || (item.isBold && box[1] === undefined)) return null;
    const mark = box[1] ?? box[2] ?? "";
    if (!this.#isStrict && (!BULLET_PATTERN.test(marker) || quote !== "" || !PLAIN_MARKS.includes(mark))) return null;
    return { length: box[0].length, isTicked: mark !== "" && TICKS.includes(mark) };
  }

  get #isStrict(): boolean {
    return this.#isSection || this.#nearLevel !== null;
  }

  /** Reads a heading, or a line in place of one, which begins or ends what looks like a section of criteria. */
  #readHeading(text: string): boolean {
    const marks = HEADING_PATTERN.exec(text)?.[1];
    const isLabel = marks === undefined && LABEL_PATTERN.test(text);
    const level = marks?.length ?? LABEL_LEVEL;
    const isNear = !this.#isSection && isNearSectionName(text);
    if (isNear) this.#nearLevel = level;
    else if ((marks !== undefined || isLabel) && level <= (this.#nearLevel ?? 0)) this.#nearLevel = null;
    if (marks === undefined && !isNear) return false;
    this.#settleReason(null);
    this.#leaveList();
    this.#isAside = ASIDE_PATTERN.test(text);
    return true;
  }

  #openItem(indent: number, text: string): void {
    if (this.#topIndent === null || indent <= this.#topIndent) this.#topIndent = indent;
    while ((this.#contents.at(-1) ?? 0) > indent) this.#contents.pop();
    this.#contents.push(indent + (/^\s*(\S+\s?)/.exec(text)?.[1]?.length ?? 2));
  }

  #leaveList(): void {
    this.#topIndent = null;
    this.#contents = [];
  }
}

interface ItemParts {
  readonly quote: string;
  readonly marker: string;
  readonly rest: string;
  /** Whether what looks like a marker begins a bold text: no blank is behind it. */
  readonly isBold: boolean;
  /** Whether the line is an item of a list, with a text. */
  readonly isItem: boolean;
  /** The line's text without the marker. */
  readonly words: string;
}

function parseItem(text: string): ItemParts {
  const [, , quote = "", marker = "", gap = "", rest = ""] = LINE_PATTERN.exec(text) ?? [];
  const isItem = quote === "" && gap !== "" && BULLET_PATTERN.test(marker) && /[^\s\-*_]/.test(rest);
  return { quote, marker, rest, isBold: marker === "*" && gap === "", isItem, words: isItem ? rest : text.trim() };
}

function cleanLabel(text: string): string {
  return text.replace(/\s+/g, " ").replace(/^[\s|*_~:]+|[\s|]+$/g, "");
}

/**
 * Returns whether a line is a heading, or a line in place of one, that begins like "Acceptance Criteria"; a paragraph
 * only if it consists of these words.
 */
function isNearSectionName(text: string): boolean {
  if (text.length > 60) return false;
  const rest = /^accept[ae]nce(?:criteri(?:a|on|ons|as|um)|critera)/.exec(normalizeWord(text));
  if (rest === null) return false;
  return rest[0] === normalizeWord(text) || HEADING_PATTERN.test(text) || LABEL_PATTERN.test(text);
}

function measureIndent(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (character === "\t") columns += 4 - (columns % 4);
    else if (character.trim() === "") columns++;
    else break;
  }
  return columns;
}

/** Removes the backticks in which Markdown writes commands. */
function removeBackticks(command: string): string {
  const text = command.trim();
  return /^`[^`]+`$/.test(text) ? text.slice(1, -1).trim() : text;
}
