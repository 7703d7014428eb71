import { visitLines } from "../spec/body_lines.ts";
import type { Spec } from "../spec/spec.ts";
import { IMPERATIVES, VAGUE_PHRASES } from "./wording.ts";

export type Grade = "A" | "B" | "C" | "D";

/** A, B or C from the least count that earns it, else D. */
export function gradeByCount(count: number, [a, b, c]: readonly [number, number, number]): Grade {
  if (count >= a) return "A";
  if (count >= b) return "B";
  return count >= c ? "C" : "D";
}

const BULLET = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;

/** Grades how clearly a text says what to do; headings and fenced code say nothing either way. */
export function gradeConfidence(body: string): Grade {
  let lines = 0;
  let bullets = 0;
  let verbs = 0;
  let prose = "";
  visitLines(body, ({ text }) => {
    if (text.trim() === "" || HEADING.test(text)) return false;
    lines++;
    prose += `${text.toLowerCase()}\n`;
    const bullet = BULLET.exec(text);
    if (bullet === null) return false;
    bullets++;
    if (IMPERATIVES.has(firstWord(text.slice(bullet[0].length)))) verbs++;
    return false;
  });
  const vague = countPhrases(prose);
  const share = lines === 0 ? 0 : bullets / lines;
  const verbShare = bullets === 0 ? 0 : verbs / bullets;
  if (share < 0.1 || vague > 8) return "D";
  if (share > 0.6 && verbShare > 0.8 && vague === 0) return "A";
  return share > 0.3 && verbShare > 0.5 && vague < 3 ? "B" : "C";
}

function firstWord(text: string): string {
  return /^[a-z]+/.exec(text.toLowerCase())?.[0] ?? "";
}

function countPhrases(text: string): number {
  return text.match(VAGUE_PHRASES)?.length ?? 0;
}

/**
 * Grades how little the members of a driver or group have to do with each other: by the share of members that name another
 * one or change a file that another one changes too.
 */
export function gradeIsolation(members: readonly Spec[]): Grade {
  const users = new Map<string, number>();
  for (const { targetFiles } of members) {
    for (const file of new Set(targetFiles)) users.set(file, (users.get(file) ?? 0) + 1);
  }
  const entangled = members.filter(
    (member) => namesAnother(member, members) || member.targetFiles.some((file) => (users.get(file) ?? 0) > 1),
  ).length;
  const share = entangled / members.length;
  if (share === 0) return "A";
  if (share <= 0.25) return "B";
  return share <= 0.5 ? "C" : "D";
}

function namesAnother(member: Spec, members: readonly Spec[]): boolean {
  if (/\bmember \d+\b/i.test(member.body)) return true;
  return members.some(({ id }) => id !== member.id && member.body.includes(id));
}
