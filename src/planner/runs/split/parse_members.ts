import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { extractJson } from "../../output/extract_json.ts";
import { joinLines } from "../../spec/text_lines.ts";

export interface ProposedMember {
  readonly title: string;
  readonly description: string;
  /** Acceptance criteria of one line each; at least one. */
  readonly criteria: readonly string[];
  /** Commands of the checks that the agent proposes, by criterion. */
  readonly checks: ReadonlyMap<string, string>;
  readonly targetFiles: readonly string[];
  /** Numbers of other members, counted from 1, ascending, without duplicates and without cycles. */
  readonly dependsOn: readonly number[];
}

/** Maximum number of members of one split. Chosen by planner: a member can be split again. */
export const MAX_MEMBERS = 50;

/**
 * Parses the members in an agent's answer: `{"members": [{title, description, acceptance_criteria, target_files,
 * depends_on}]}`. The JSON may be fenced, the whole answer, or embedded in text.
 *
 * @throws OperationError `failed_precondition` that names the member and its problem
 *
 * Source: docs/decisions.md#s-27.
 */
export function parseMembers(answer: string): readonly ProposedMember[] {
  const found = extractJson(answer);
  if (found === undefined) throw buildMembersError("it holds no JSON");
  const listed = isJsonObject(found.value) ? found.value["members"] : undefined;
  if (!Array.isArray(listed)) throw buildMembersError('expected an object with a list "members"');
  if (listed.length < 2 || listed.length > MAX_MEMBERS) {
    throw buildMembersError(`expected 2 to ${MAX_MEMBERS} members, got ${listed.length}`);
  }
  const members = listed.map((value: unknown, index) =>
    parseMember(value, { number: index + 1, count: listed.length }),
  );
  const circle = findCycle(members);
  if (circle !== undefined) throw buildMembersError(`members depend on each other in a circle: ${circle.join(" -> ")}`);
  return members;
}

interface MemberPosition {
  readonly number: number;
  readonly count: number;
}

function parseMember(value: unknown, place: MemberPosition): ProposedMember {
  if (!isJsonObject(value)) throw buildMembersError(`member ${place.number} is not an object`);
  const { criteria, checks } = parseCriteria(value, place);
  if (criteria.length === 0) throw buildMembersError(`member ${place.number} has no acceptance criteria`);
  return {
    title: joinLines(parseMemberText(value["title"], `title of member ${place.number}`)),
    description:
      value["description"] === undefined
        ? ""
        : parseMemberText(value["description"], `description of member ${place.number}`),
    ...{ criteria, checks },
    targetFiles: parseMemberTexts(value, "target_files", place),
    dependsOn: parseDependencies(value, place),
  };
}

/** Parses criteria, each of which is a text or an object with a text and its check. */
function parseCriteria(value: JsonFields, place: MemberPosition): Pick<ProposedMember, "criteria" | "checks"> {
  const list = value["acceptance_criteria"] ?? [];
  if (!Array.isArray(list)) throw buildMembersError(`"acceptance_criteria" of member ${place.number} is not a list`);
  const items = list.map((item: unknown) => (isJsonObject(item) ? item : { criterion: item }));
  const named = parseMemberTexts({ criteria: items.map(({ criterion }) => criterion) }, "criteria", place).map(
    removeCheckbox,
  );
  const checks = items.flatMap(({ criterion, verify }): readonly (readonly [string, string])[] => {
    if (typeof criterion !== "string" || verify === undefined || verify === null) return [];
    return [
      [removeCheckbox(joinLines(criterion)), joinLines(parseMemberText(verify, `"verify" of member ${place.number}`))],
    ];
  });
  return { criteria: [...new Set(named)], checks: new Map(checks) };
}

function parseMemberText(value: unknown, what: string): string {
  if (typeof value !== "string" || value.trim() === "") throw buildMembersError(`the ${what} is not a text`);
  if (value.includes("\0") || !value.isWellFormed()) throw buildMembersError(`the ${what} holds what no file can`);
  return value.trim();
}

function parseMemberTexts(object: JsonFields, name: string, { number }: MemberPosition): readonly string[] {
  const list = object[name] ?? [];
  if (!Array.isArray(list)) throw buildMembersError(`"${name}" of member ${number} is not a list`);
  return [...new Set(list.map((item: unknown) => joinLines(parseMemberText(item, `"${name}" of member ${number}`))))];
}

function parseDependencies(object: JsonFields, { number, count }: MemberPosition): readonly number[] {
  const list = object["depends_on"] ?? [];
  if (!Array.isArray(list)) throw buildMembersError(`"depends_on" of member ${number} is not a list`);
  for (const item of list as readonly unknown[]) {
    if (!Number.isInteger(item) || Number(item) < 1 || Number(item) > count) {
      throw buildMembersError(
        `member ${number} depends on ${JSON.stringify(item)}: expected a number from 1 to ${count}`,
      );
    }
    if (item === number) throw buildMembersError(`member ${number} depends on itself`);
  }
  return [...new Set(list as readonly number[])].sort((a, b) => a - b);
}

/** Removes a checkbox from a criterion, because agents often write it too. */
function removeCheckbox(text: string): string {
  const plain = text.replace(/^(?:[-*+]|\d{1,9}[.)])\s+(?=\[)|^[-*+]\s+/, "").replace(/^\[[ xX]\]\s*/, "");
  return plain === "" ? text : plain;
}

/** Returns the numbers of members that form a dependency cycle; undefined without one. */
function findCycle(members: readonly ProposedMember[]): readonly number[] | undefined {
  const done = new Set<number>();
  const visit = (number: number, way: readonly number[]): readonly number[] | undefined => {
    const at = way.indexOf(number);
    if (at !== -1) return [...way.slice(at), number];
    if (done.has(number)) return undefined;
    for (const next of members[number - 1]?.dependsOn ?? []) {
      const circle = visit(next, [...way, number]);
      if (circle !== undefined) return circle;
    }
    done.add(number);
    return undefined;
  };
  for (const index of members.keys()) {
    const circle = visit(index + 1, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

type JsonFields = Readonly<Record<string, unknown>>;

function buildMembersError(why: string): OperationError {
  return new OperationError("failed_precondition", `Cannot read members from the agent's answer: ${why}`);
}
