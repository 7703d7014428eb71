import type { Device, SearchAnswer } from "../api/replies.ts";
import { useCall } from "../api/use_call.ts";
import { count, counted, decimal, enumWord, watts } from "../labels.ts";
import { linkTo, type Place, setSettings } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { ChoiceField, Filters, Switch, TextField } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Pager, usePages } from "../ui/pager.tsx";
import { type Column, Table } from "../ui/table.tsx";

const KINDS = (
  "SERVER STORAGE SWITCH ROUTER FIREWALL LOAD_BALANCER CHASSIS BLADE PATCH_PANEL CONSOLE_SERVER KVM SENSOR OTHER " +
  "UTILITY GENERATOR SWITCHGEAR TRANSFER_SWITCH UPS FLOOR_PDU RPP BUSWAY RACK_PDU CDU"
).split(" ");

const STATUSES = "ACTIVE PLANNED STAGED OFFLINE FAILED DECOMMISSIONING INVENTORY".split(" ");

const COLUMNS: readonly Column<Device>[] = [
  { name: "Device", order: "code", cell: ({ code }) => <a href={linkTo("device", code)}>{code}</a> },
  { name: "Name", order: "name", cell: ({ name }) => name },
  { name: "Role", order: "role", cell: ({ role }) => role },
  { name: "Kind", cell: ({ kind }) => enumWord(kind, "DEVICE_KIND") },
  { name: "Status", cell: ({ status }) => enumWord(status, "DEVICE_STATUS") },
  {
    name: "Rack",
    order: "rack_code",
    cell: ({ rack_code }) => (rack_code === "" ? null : <a href={linkTo("rack", rack_code)}>{rack_code}</a>),
  },
  { name: "U", numeric: true, order: "position_u", cell: ({ position_u }) => decimal(position_u) },
  {
    name: "Draw",
    numeric: true,
    order: "draw_w",
    cell: ({ allocated_draw_w, max_draw_w }) => watts(allocated_draw_w ?? max_draw_w),
  },
];

export function Search({ place }: { readonly place: Place }) {
  const { settings } = place;
  const value = (name: string) => settings.get(name) ?? "";
  const change = (name: string) => (text: string) => setSettings({ [name]: text });
  const order = value("order") === "" ? "code" : value("order");
  const filter = filterOf(value("q"), settings);
  const pages = usePages(JSON.stringify([filter, order]));
  const asked = useCall<SearchAnswer>("SearchDevices", {
    filter,
    order_by: order,
    page_size: 50,
    page_token: pages.token,
  });
  return (
    <>
      <PageHead title="Devices" />
      <Filters>
        <TextField label="Text" value={value("q")} change={change("q")} />
        <TextField label="Rack" value={value("rack")} change={change("rack")} />
        <TextField label="Role" value={value("role")} change={change("role")} />
        <ChoiceField
          label="Kind"
          value={value("kind")}
          choices={choices(KINDS, "Every kind")}
          change={change("kind")}
        />
        <ChoiceField
          label="Status"
          value={value("status")}
          choices={choices(STATUSES, "Every status")}
          change={change("status")}
        />
        <TextField label="Fed by" placeholder="device:UPS-A1" value={value("fed_by")} change={change("fed_by")} />
        <Switch label="One cord only" on={value("cord") === "1"} change={(on) => change("cord")(on ? "1" : "")} />
        <Switch label="With a free port" on={value("free") === "1"} change={(on) => change("free")(on ? "1" : "")} />
      </Filters>
      <Answer asked={asked}>
        {({ devices, total_count, role_counts, next_page_token }) => (
          <>
            <p role="status">{counted(total_count, "device")}</p>
            <RoleCounts counts={role_counts} choose={change("role")} chosen={value("role")} />
            <Table
              caption="Devices found"
              columns={COLUMNS}
              rows={devices}
              rowKey={({ code }) => code}
              empty="No device matches."
              order={{ by: order, choose: change("order") }}
            />
            <Pager pages={pages} next={next_page_token} />
          </>
        )}
      </Answer>
    </>
  );
}

function RoleCounts({
  counts,
  choose,
  chosen,
}: {
  readonly counts: Readonly<Record<string, number>>;
  readonly choose: (role: string) => void;
  readonly chosen: string;
}) {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return (
    <ul class="chips" aria-label="Roles">
      {sorted.map(([role, number]) => (
        <li key={role}>
          <button type="button" aria-pressed={chosen === role} onClick={() => choose(chosen === role ? "" : role)}>
            {role === "" ? "no role" : role} <span class="muted">{count(number)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function filterOf(query: string, settings: URLSearchParams): object {
  const one = (name: string, field: string, prefix = "") => {
    const text = settings.get(name) ?? "";
    return text === "" ? {} : { [field]: [prefix + text] };
  };
  return {
    ...(query === "" ? {} : { query }),
    ...one("rack", "rack_codes"),
    ...one("role", "roles"),
    ...one("kind", "kinds", "DEVICE_KIND_"),
    ...one("status", "statuses", "DEVICE_STATUS_"),
    ...(settings.get("fed_by") ? { fed_by: settings.get("fed_by") } : {}),
    ...(settings.get("cord") === "1" ? { single_corded: true } : {}),
    ...(settings.get("free") === "1" ? { has_free_port: true } : {}),
  };
}

function choices(values: readonly string[], all: string): readonly (readonly [string, string])[] {
  return [["", all], ...values.map((value) => [value, enumWord(value, "")] as const)];
}
