import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import { file_datacenter_v1_capacity } from "#gen/datacenter/v1/capacity_pb.ts";
import { file_datacenter_v1_datacenter } from "#gen/datacenter/v1/datacenter_pb.ts";
import { file_datacenter_v1_placement } from "#gen/datacenter/v1/placement_pb.ts";
import { file_datacenter_v1_planning } from "#gen/datacenter/v1/planning_pb.ts";
import { file_datacenter_v1_preview } from "#gen/datacenter/v1/preview_pb.ts";
import { file_datacenter_v1_rehearsal } from "#gen/datacenter/v1/rehearsal_pb.ts";

const FILES = [
  file_datacenter_v1_datacenter,
  file_datacenter_v1_planning,
  file_datacenter_v1_placement,
  file_datacenter_v1_preview,
  file_datacenter_v1_rehearsal,
  file_datacenter_v1_capacity,
];

/** Values that people write in the same way. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(
  "OK UPS RPP CDU KVM CRAC CRAH REST MCP AC DC AOC MMF SMF CAT3 CAT5 CAT5E CAT6 CAT6A CAT7 CAT7A CAT8 SVG PNG HTML DOT N A B C AB BC CA A1 A2 A3 A4 H1".split(
    " ",
  ),
);

const messages = FILES.flatMap((file) => file.messages.flatMap(withInner));
const enums = [...FILES.flatMap((file) => file.enums), ...messages.flatMap(({ nestedEnums }) => nestedEnums)];

/** Constants of every enumeration, with and without their prefix, and names of fields that no person would write. */
const CONSTANTS = new Set(enums.flatMap(spellings).filter((word) => !ABBREVIATIONS.has(word)));
const FIELDS = new Set(
  messages.flatMap(({ fields }) => fields.map(({ name }) => name)).filter((name) => name.includes("_")),
);

function withInner(message: DescMessage): readonly DescMessage[] {
  return [message, ...message.nestedMessages.flatMap(withInner)];
}

function spellings({ values, sharedPrefix = "" }: DescEnum): readonly string[] {
  return values.flatMap(({ name }) => [name, name.slice(sharedPrefix.length)]);
}

const WORD = /(?<![\w-])\w+(?![\w-])/g;

/** Words of a text that only the wire has: constants of enumerations and names of fields. */
export function wireWords(text: string): readonly string[] {
  return (text.match(WORD) ?? []).filter((word) => CONSTANTS.has(word) || FIELDS.has(word));
}

/** References such as `device:UPS-A2` in a text, as the wire writes them. */
export function wireRefs(text: string): readonly string[] {
  return (
    text.match(
      /\b(?:device|device_type|feed|port|cable|crac|fabric|fabric_link|rack|row|room|zone|floor|site):(?=[\w<"])\S*/g,
    ) ?? []
  );
}
