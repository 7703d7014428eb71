import { CHECK_ADVICE } from "#cli/dc/doctor.ts";
import { EXPORT_TARGETS } from "#cli/dc/export.ts";
import { RECEIVER_KEYS } from "#cli/dc/notices/notice_service.ts";
import { MAPPING_KEYS, QUERY_KEYS } from "#cli/dc/readings/mapping_file.ts";
import { EXIT_MEANINGS, EXIT_STATUS } from "#cli/exit_status.ts";
import { ENVIRONMENT_VARIABLES } from "#cli/help.ts";
import { REFUSAL_RULES } from "#dc/analysis/placement/limits.ts";
import { CONTAINERLAB_MAPPINGS } from "#dc/exchange/containerlab/map_containerlab.ts";
import { TYPE_FIELD_MAPPINGS } from "#dc/exchange/device_types/read_type.ts";
import { NETBOX_MAPPINGS } from "#dc/exchange/netbox/map_netbox.ts";
import { RISK_NOTICE_RULES } from "#dc/operations/notices/notice.ts";
import { SETTING_MEANINGS } from "#dc/ports.ts";
import { ROUTE_DESCRIPTIONS, STREAM_EVENT_DESCRIPTIONS } from "#interfaces/http/routes.ts";
import { PROBLEM_KINDS } from "#planner/runs/doctor/trouble.ts";
import { PROMPT_VARIABLES } from "#planner/work/prompts/prompt.ts";
import { VERDICT_MEANINGS } from "#planner/work/provenance.ts";
import { MARK_MEANINGS } from "#planner/work/reviewed_criteria.ts";
import { COLUMN_DESCRIPTIONS, COLUMN_NAMES } from "#web/board/act.ts";
import { checks, NOT_RUN_HERE } from "../../release/places.ts";
import { linked } from "./config_tables.ts";

type Rows = readonly (readonly string[])[];

/** Tables of what the program keeps as keys with a text: heads and rows by the table's name. */
const TABLES: Readonly<Record<string, readonly [heads: readonly string[], rows: () => Rows]>> = {
  exit_status: [
    ["Status", "Name", "Meaning"],
    () => Object.entries(EXIT_STATUS).map(([name, status]) => [String(status), name, EXIT_MEANINGS[name as "ok"]]),
  ],
  environment: [
    ["Variable", "Meaning"],
    () => keyed(ENVIRONMENT_VARIABLES, (names) => names.split(", ").map(code).join(", ")),
  ],
  dc_doctor: [["Finding", "What to do"], () => keyed(CHECK_ADVICE)],
  receivers: [["Key", "Meaning"], () => keyed(RECEIVER_KEYS)],
  readings_file: [["Key", "Meaning"], () => [...keyed(MAPPING_KEYS), ...keyed(QUERY_KEYS)]],
  prompt_variables: [["Variable", "Text"], () => keyed(PROMPT_VARIABLES, (name) => code(`{{${name}}}`))],
  netbox: [["NetBox", "Here"], () => Object.entries(NETBOX_MAPPINGS)],
  containerlab: [["containerlab", "Here"], () => Object.entries(CONTAINERLAB_MAPPINGS)],
  device_types: [["Library", "Here"], () => Object.entries(TYPE_FIELD_MAPPINGS)],
  exports: [
    ["Target", "What it holds"],
    () => Object.entries(EXPORT_TARGETS).map(([target, { holds }]) => [code(target), holds]),
  ],
  verdicts: [["Verdict", "Meaning"], () => keyed(VERDICT_MEANINGS)],
  marks: [["Mark", "Meaning"], () => keyed(MARK_MEANINGS)],
  doctor: [["Kind", "What is found"], () => keyed(PROBLEM_KINDS)],
  settings: [["Setting", "Holds"], () => keyed(SETTING_MEANINGS)],
  release: [
    ["Artefact", "Place", "What is done"],
    () => [
      ...checks("<version>").map(({ artefact, place, jobs }) => [code(artefact), place, jobs]),
      ...NOT_RUN_HERE.map(([artefact, reason]) => [code(artefact), "not run", reason]),
    ],
  ],
  notices: [
    ["Type", "When", "Severity"],
    () =>
      Object.entries(RISK_NOTICE_RULES).map(([kind, { changes, when, severity }]) => [
        changes.map((change) => code(`${kind}.${change}`)).join(", "),
        when,
        severity,
      ]),
  ],
  placement: [["Reason of a refusal", "What a place must satisfy"], () => keyed(REFUSAL_RULES)],
  routes: [["Route", "Answer"], () => keyed(ROUTE_DESCRIPTIONS)],
  stream_events: [["Event", "Data"], () => keyed(STREAM_EVENT_DESCRIPTIONS)],
  board: [["Column", "Specs"], () => keyed(COLUMN_DESCRIPTIONS, (column) => COLUMN_NAMES[column])],
};

export function factsTable(name: string): string {
  const [heads, rows] = TABLES[name] ?? [];
  if (heads === undefined || rows === undefined) throw new Error(`no table of facts is called ${name}`);
  const lines = rows().map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`);
  return `| ${heads.join(" | ")} |\n|${" --- |".repeat(heads.length)}\n${lines.join("")}`;
}

function keyed<Key extends string>(texts: Readonly<Record<Key, string>>, shown: (key: Key) => string = code): Rows {
  return (Object.entries(texts) as [Key, string][]).map(([key, text]) => [shown(key), linked(text)]);
}

function code(text: string): string {
  return `\`${text}\``;
}
