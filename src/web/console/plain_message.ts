import { FORM_ENUMS, FORMS } from "#gen/datacenter/v1/forms.ts";
import { capitalize, formatConstant, stripRefKinds } from "#words/names.ts";
import { labelOf } from "./edit/field_labels.ts";

const FIELDS = new Map(
  Object.values(FORMS)
    .flat()
    .map((field) => [field.name, field] as const),
);
const CONSTANTS = new Map(
  Object.values(FORM_ENUMS).flatMap(({ prefix, values }) =>
    [...values, "UNSPECIFIED"].flatMap((value) => [
      [`${prefix}_${value}`, formatConstant(value)] as const,
      [value, formatConstant(value)] as const,
    ]),
  ),
);

/** A field by its path, such as `items[0].ports[3].speed_mbps`, or by its name; "Field" before it says that it is one. */
const PATH = /(\b(?:Fields?|Condition|column) )?"?\b[a-z][a-z0-9]*(?:_[a-z0-9]+|\[\d+\]|\.(?=[a-z]))[a-z0-9_\].[]*"?/g;
/** Constants outside of quotes, where they may be a code of the inventory. */
const CONSTANT = /(?<![\w"/:~-])[A-Z][A-Z0-9_]+(?![\w"/:~-])/g;
/** The form of a reference, such as `port:<device>/<port>`. */
const GRAMMAR = /\b([a-z_]+):<\w+>(?:[/~]<\w+>)*/g;

/** A message of the service in the console's words: fields by their labels, constants as words, things by their codes. */
export function plainMessage(message: string): string {
  const named = message
    .replaceAll(GRAMMAR, (_, kind: string) => `a ${kind.replaceAll("_", " ")}`)
    .replaceAll(PATH, pathWords)
    .replaceAll(CONSTANT, constantWords);
  return stripRefKinds(named);
}

function constantWords(constant: string): string {
  const word = CONSTANTS.get(constant);
  if (word === undefined || word === constant) return constant;
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** `ports[3].speed_mbps` is "ports 4, speed"; what may be a code of the inventory stays as it is. */
function pathWords(path: string, before = ""): string {
  const steps = path.slice(before.length).replaceAll('"', "").split(".");
  const last = steps.at(-1)?.replace(/\[\d+\]$/, "") ?? "";
  if (before === "" && path.startsWith('"') && !FIELDS.has(last)) return path;
  const words = steps.flatMap((step) => {
    const [, name = "", at] = /^(\w+)(?:\[(\d+)\])?$/.exec(step) ?? [];
    if (/^(?:items|changes)$/.test(name)) return [];
    const label = labelOf(FIELDS.get(name) ?? { name: name.replace(/_refs?$/, ""), type: "text" }).toLowerCase();
    return [at === undefined ? label : `${label} ${Number(at) + 1}`];
  });
  const named = words.join(", ");
  return before === "Field " ? capitalize(named) : before + named;
}
