import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { findProtoComment } from "#dc/operations/messages/message_schema.ts";
import { file_datacenter_v1_datacenter } from "#gen/datacenter/v1/datacenter_pb.ts";
import { file_datacenter_v1_planning } from "#gen/datacenter/v1/planning_pb.ts";
import { quantity } from "#gen/datacenter/v1/rules_pb.ts";
import { SHORTCUTS } from "#web/console/keys.ts";

/** Values of an enumeration of the proto with their comments; of quantities also what has them and which values they take. */
export function valuesTable(name: string): string {
  const found = [
    file_datacenter_v1_planning,
    ...file_datacenter_v1_planning.dependencies,
    file_datacenter_v1_datacenter,
  ]
    .flatMap(({ enums }) => enums)
    .find((one) => one.name === name);
  if (found === undefined) throw new Error(`the proto has no enumeration ${name}`);
  return valueRows(found);
}

/** Whether a comment says of every value of an enumeration what it means. */
export function hasMeanings(words: DescEnum): boolean {
  return words.values.every((value) => value.number === 0 || meaningOf(words, value.name) !== "");
}

export function valueRows(words: DescEnum): string {
  const values = words.values.filter(({ number }) => number !== 0);
  const isMeasured = values.some((value) => getOption(value, quantity).elements.length > 0);
  const rows = values.map((value) => {
    const { elements, min, max, numbers } = getOption(value, quantity);
    const range = numbers.length > 0 ? numbers.join(", ") : `${shown(min)} to ${shown(max)}`;
    const measured = isMeasured ? ` ${elements.join(", ")} | ${range} |` : "";
    return `| \`${value.name.slice(words.sharedPrefix?.length ?? 0)}\` |${measured} ${meaningOf(words, value.name)} |\n`;
  });
  const heads = isMeasured ? ["Value", "Of", "Range", "Meaning"] : ["Value", "Meaning"];
  return `| ${heads.join(" | ")} |\n|${" --- |".repeat(heads.length)}\n${rows.join("")}`;
}

function meaningOf({ typeName }: DescEnum, value: string): string {
  return findProtoComment(`${typeName}.${value}`)
    .replaceAll("|", "\\|")
    .replace(/(?<!\w)[<*](?=\w)/g, "\\$&");
}

function shown(figure: number | undefined): string {
  return (figure ?? 0).toLocaleString("en");
}

/** Every key of the console, by where it acts. */
export function keysTable(): string {
  const rows = Object.entries(SHORTCUTS).flatMap(([where, keys]) =>
    Object.values(keys).map(({ shown: key, does }) => `| ${where} | \`${key}\` | ${does} |\n`),
  );
  return `| Where | Key | What it does |\n| --- | --- | --- |\n${rows.join("")}`;
}
