import { parseCriteria } from "../spec/criteria.ts";
import { findHeadings, visitUnfencedLines } from "../spec/sections.ts";
import { isMemberOf, type Spec } from "../spec/spec.ts";
import { countWords, removeOutput } from "./finding.ts";

type Grade = "A" | "B" | "C" | "D";

/** Returns A, B or C if `count` reaches the minimum of that grade, otherwise D. */
function gradeByCount(count: number, [a, b, c]: readonly [number, number, number]): Grade {
  if (count >= a) return "A";
  if (count >= b) return "B";
  return count >= c ? "C" : "D";
}

const BULLET_PATTERN = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;
const HEADING_PATTERN = /^ {0,3}#{1,6}(?:[ \t]|$)/;

/** Grades how clearly a text states the work. Headings and fenced code do not count. */
function gradeConfidence(body: string): Grade {
  let lines = 0;
  let bullets = 0;
  let verbs = 0;
  let prose = "";
  visitUnfencedLines(body, ({ text }) => {
    if (text.trim() === "" || HEADING_PATTERN.test(text)) return false;
    lines++;
    prose += `${text.toLowerCase()}\n`;
    const bullet = BULLET_PATTERN.exec(text);
    if (bullet === null) return false;
    bullets++;
    if (IMPERATIVE_VERBS.has(parseFirstWord(text.slice(bullet[0].length)))) verbs++;
    return false;
  });
  const vague = countVaguePhrases(prose);
  const share = lines === 0 ? 0 : bullets / lines;
  const verbShare = bullets === 0 ? 0 : verbs / bullets;
  if (share < 0.1 || vague > 8) return "D";
  if (share > 0.6 && verbShare > 0.8 && vague === 0) return "A";
  return share > 0.3 && verbShare > 0.5 && vague < 3 ? "B" : "C";
}

function parseFirstWord(text: string): string {
  return /^[a-z]+/.exec(text.toLowerCase())?.[0] ?? "";
}

function countVaguePhrases(text: string): number {
  return text.match(VAGUE_PHRASE_PATTERN)?.length ?? 0;
}

/** Grades members' independence by the share that name another member or change a file that another changes too. */
function gradeIsolation(members: readonly Spec[]): Grade {
  const users = new Map<string, number>();
  for (const { targetFiles } of members) {
    for (const file of new Set(targetFiles)) users.set(file, (users.get(file) ?? 0) + 1);
  }
  const entangled = members.filter(
    (member) => namesOtherMember(member, members) || member.targetFiles.some((file) => (users.get(file) ?? 0) > 1),
  ).length;
  const share = entangled / members.length;
  if (share === 0) return "A";
  if (share <= 0.25) return "B";
  return share <= 0.5 ? "C" : "D";
}

function namesOtherMember(member: Spec, members: readonly Spec[]): boolean {
  if (/\bmember \d+\b/i.test(member.body)) return true;
  return members.some(({ id }) => id !== member.id && member.body.includes(id));
}

/** Grades of a spec's writing for its agent or person; A is best. Source: docs/decisions.md#s-16. */
export interface SpecScores {
  /** Red if complexity, confidence or ac_quality is D; green if all three are A or B; otherwise yellow. */
  readonly traffic_light: "green" | "yellow" | "red";
  /** Size of the work: criteria, target files, words. */
  readonly complexity: Grade;
  /** Clarity of the text: steps that begin with a verb, no vague words. */
  readonly confidence: Grade;
  /** How well the work could be divided into several specs. */
  readonly splittability: Grade;
  /** Grade of the number of acceptance criteria. */
  readonly ac_quality: Grade;
  /** Independence of the members of a driver or group; null for any other spec. */
  readonly isolation: Grade | null;
  /** One sentence for each weak grade, sorted. */
  readonly suggestions: readonly string[];
}

/**
 * Grades one spec.
 *
 * @param members the specs of a driver or group, see `findMembers`
 *
 * Cost: linear in the body, and in the bodies of the members.
 */
export function gradeSpec(spec: Spec, members: readonly Spec[] = []): SpecScores {
  const body = removeOutput(spec.body);
  const criteria = parseCriteria(spec.body).length;
  const leads = (spec.type === "driver" || spec.type === "group") && members.length > 0;
  const grades = {
    complexity: gradeComplexity(criteria, spec.targetFiles.length, countWords(body)),
    confidence: gradeConfidence(body),
    splittability: gradeSplittability(body, spec.targetFiles.length),
    ac_quality: gradeByCount(criteria, [4, 2, 1]),
    isolation: leads ? gradeIsolation(members) : null,
  };
  return { traffic_light: computeTrafficLight(grades), ...grades, suggestions: listSuggestions(grades) };
}

/** Returns the members of a driver or group: the specs in its `members` and those named `<id>.<n>`. Cost: O(specs). */
export function findMembers(spec: Spec, specs: readonly Spec[]): readonly Spec[] {
  if (spec.type !== "driver" && spec.type !== "group") return [];
  return specs.filter(({ id }) => isMemberOf(id, spec));
}

type SpecGrades = Pick<SpecScores, "complexity" | "confidence" | "splittability" | "ac_quality" | "isolation">;

/** Minimum counts of grades D, C and B, for criteria, files and words. */
const COMPLEXITY_GRADES = [
  ["D", 8, 5, 600],
  ["C", 6, 4, 400],
  ["B", 4, 3, 200],
] as const;

function gradeComplexity(criteria: number, files: number, words: number): Grade {
  const step = COMPLEXITY_GRADES.find(
    ([, mostCriteria, mostFiles, mostWords]) => criteria >= mostCriteria || files >= mostFiles || words >= mostWords,
  );
  return step?.[0] ?? "A";
}

function gradeSplittability(body: string, files: number): Grade {
  const text = body.toLowerCase();
  if (COUPLING_PHRASES.some((phrase) => text.includes(phrase))) return "D";
  const parts = findHeadings(body).filter(({ level }) => level > 1).length;
  if (parts >= 3 && files >= 3) return "A";
  return parts >= 1 && files >= 2 ? "B" : "C";
}

function computeTrafficLight({ complexity, confidence, ac_quality }: SpecGrades): SpecScores["traffic_light"] {
  const grades = [complexity, confidence, ac_quality];
  if (grades.includes("D")) return "red";
  return grades.includes("C") ? "yellow" : "green";
}

const SUGGESTIONS: { readonly [Name in keyof SpecGrades]: string } = {
  complexity: "Split the spec: fewer criteria, target files or words",
  confidence: "Write the work as list items that begin with a verb, without vague words",
  splittability: "Set parts that can be done alone under headings of their own",
  ac_quality: "Add acceptance criteria that can be checked",
  isolation: "Let each member change files of its own and name no other member",
};

function listSuggestions(grades: SpecGrades): readonly string[] {
  const weak = (Object.keys(SUGGESTIONS) as (keyof SpecGrades)[]).filter((name) => {
    const grade = grades[name];
    return grade === "C" || grade === "D" || (name === "ac_quality" && grade === "B");
  });
  return weak.map((name) => SUGGESTIONS[name]).sort();
}

/** Verbs that begin an instruction in a list item. */
const IMPERATIVE_VERBS: ReadonlySet<string> = new Set([
  ..."add allow answer apply ask assert build cache call change check clean close collect compare".split(" "),
  ..."compute configure connect convert copy count cover create cut declare define delete deploy".split(" "),
  ..."derive describe detect disable display document drop emit enable ensure escape expose extend".split(" "),
  ..."extract fail fetch fill find fix follow format generate give guard handle hide implement".split(" "),
  ..."import include index initialise initialize insert install introduce keep leave limit link".split(" "),
  ..."list listen load lock log make map mark measure merge migrate move name normalise normalize".split(" "),
  ..."open order parse pass persist pin place prevent print process produce prove provide publish".split(" "),
  ..."put raise read record redirect reduce refactor refuse register reject release remove rename".split(" "),
  ..."render replace report reset resolve respond restore retry return reuse revert rewrite route".split(" "),
  ..."run save scan send serve set show skip sort specify split start state stop store stream strip".split(" "),
  ..."support switch tell test throw trace track trim turn update upgrade use validate verify wait".split(" "),
  ..."warn wrap write".split(" "),
]);

const VAGUE = [
  ..."and related, and so on, as appropriate, as needed, as necessary, better, clean up, etc, fairly".split(", "),
  ..."if possible, improve, maybe, miscellaneous, nicer, or similar, perhaps, properly, similar".split(", "),
  ..."some kind of, somehow, sometimes, stuff, things, various, where appropriate".split(", "),
];

const VAGUE_PHRASE_PATTERN: RegExp = new RegExp(String.raw`\b(?:${VAGUE.join("|")})\b`, "g");

/** Phrases, in lower case, that indicate that the work cannot be divided. */
const COUPLING_PHRASES: readonly string[] = [
  ..."all at once, at the same time, cannot be separated, cannot be split, depend on each other".split(", "),
  ..."hand in hand, in lockstep, in one go, must be done together, simultaneously, tightly coupled".split(", "),
];
