import { criteriaOf } from "../criteria.ts";
import { readableDocument } from "../document.ts";

/**
 * The text of a spec's file with one box changed, and no other byte.
 *
 * @param number of the criterion, from 1
 * @throws OperationError `failed_precondition` with line and column when `text` does not parse; RangeError when there is
 *   no such criterion
 */
export function editCriterion(text: string, number: number, checked: boolean): string {
  const { body } = readableDocument(text);
  const criterion = criteriaOf(body)[number - 1];
  if (criterion === undefined) throw new RangeError(`No criterion ${number}`);
  if (criterion.checked === checked) return text;
  const box = text.length - body.length + body.indexOf("[", criterion.start) + 1;
  return `${text.slice(0, box)}${checked ? "x" : " "}${text.slice(box + 1)}`;
}
