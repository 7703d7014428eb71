import { CheckWindow } from "#gen/datacenter/v1/questions.ts";
import { defineCommand } from "../../../command.ts";
import { AGE_ROW, askedFlags, BASIS_ROW } from "../../../dc/asked_flags.ts";
import { databaseOf } from "../../../dc/database.ts";
import { DATABASE_FLAG, WINDOW_ELEMENTS, WINDOW_FLAGS } from "../../../dc/shared_flags.ts";

const ASKED = askedFlags("dc window check", CheckWindow, {
  "exposed-racks": {
    field: "exposed_racks",
    value: "count",
    least: 0,
    summary: "Racks that one more failure may take without being a risk (1)",
  },
  basis: BASIS_ROW,
  "max-age": AGE_ROW,
});

export const command = defineCommand({
  summary: "Ask whether elements may be switched off",
  details:
    "Prints the verdict on a maintenance window, its reasons, the worst further failures and whom to tell. Exits with 0 for " +
    "GO, 1 for NO_GO and 3 for GO_WITH_RISK and UNKNOWN. Rules: docs/windows.md.",
  positionals: {
    elements: WINDOW_ELEMENTS,
  },
  flags: {
    db: DATABASE_FLAG,
    ...WINDOW_FLAGS,
    ...ASKED.flags,
    json: { type: "boolean", summary: "Print the reply as JSON" },
  },
  examples: [
    { line: "planner dc window check PDU-A01-B --for 2h", shows: "Ask whether a PDU may be replaced now" },
    {
      line: 'planner dc window check UPS-B1 --from "2099-11-28 20:00" --for 8h --time-zone Europe/Amsterdam',
      shows: "Ask about a Saturday evening",
    },
    {
      line: "planner dc window check PDU-A01-A --for 2h --accept role:mgmt-switch",
      shows: "Accept what is known to go off",
    },
  ],
  async run({ db, ...asked }, cli) {
    const { checkWindow } = await import("../../../dc/window.ts");
    return checkWindow(databaseOf(db, cli.cwd), { ...asked, request: ASKED.request(asked) }, cli);
  },
});
