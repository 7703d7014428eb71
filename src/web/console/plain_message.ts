import { FORM_ENUMS, FORMS } from "#gen/datacenter/v1/forms.ts";
import { capitalize, formatConstant, stripRefKinds } from "#words/names.ts";
import { getFieldLabel } from "./edit/field_labels.ts";

const FIELDS_BY_NAME = new Map(
  Object.values(FORMS)
    .flat()
    .map((field) => [field.name, field] as const),
);
const CONSTANT_LABELS = new Map(
  Object.values(FORM_ENUMS).flatMap(({ prefix, values }) =>
    [...values, "UNSPECIFIED"].flatMap((value) => [
      [`${prefix}_${value}`, formatConstant(value)] as const,
      [value, formatConstant(value)] as const,
    ]),
  ),
);

/** Matches a field by path, as `items[0].ports[3].speed_mbps`, or by name after "Field", "Condition" or "column". */
const FIELD_PATH_PATTERN =
  /(\b(?:Fields?|Condition|column) )?"?\b[a-z][a-z0-9]*(?:_[a-z0-9]+|\[\d+\]|\.(?=[a-z]))[a-z0-9_\].[]*"?/g;
/** Matches constants outside quotes; inside quotes they may be a code of the inventory. */
const CONSTANT_PATTERN = /(?<![\w"/:~-])[A-Z][A-Z0-9_]+(?![\w"/:~-])/g;
/** Matches the syntax of a reference, such as `port:<device>/<port>`. */
const REF_SYNTAX_PATTERN = /\b([a-z_]+):<\w+>(?:[/~]<\w+>)*/g;

/** Replaces names in a service message: fields by labels, constants by words, references by codes. */
export function simplifyMessage(message: string): string {
  const named = message
    .replaceAll(REF_SYNTAX_PATTERN, (_, kind: string) => `a ${kind.replaceAll("_", " ")}`)
    .replaceAll(FIELD_PATH_PATTERN, labelPath)
    .replaceAll(CONSTANT_PATTERN, labelConstant);
  return stripRefKinds(named);
}

function labelConstant(constant: string): string {
  const word = CONSTANT_LABELS.get(constant);
  if (word === undefined || word === constant) return constant;
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** Converts a path to labels: `ports[3].speed_mbps` becomes "ports 4, speed". Keeps quoted names of unknown fields. */
function labelPath(path: string, before = ""): string {
  const steps = path.slice(before.length).replaceAll('"', "").split(".");
  const last = steps.at(-1)?.replace(/\[\d+\]$/, "") ?? "";
  if (before === "" && path.startsWith('"') && !FIELDS_BY_NAME.has(last)) return path;
  const words = steps.flatMap((step) => {
    const [, name = "", at] = /^(\w+)(?:\[(\d+)\])?$/.exec(step) ?? [];
    if (/^(?:items|changes)$/.test(name)) return [];
    const label = getFieldLabel(
      FIELDS_BY_NAME.get(name) ?? { name: name.replace(/_refs?$/, ""), type: "text" },
    ).toLowerCase();
    return [at === undefined ? label : `${label} ${Number(at) + 1}`];
  });
  const named = words.join(", ");
  return before === "Field " ? capitalize(named) : before + named;
}
