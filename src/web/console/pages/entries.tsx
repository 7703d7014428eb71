import type { AuditEntry } from "../api/replies.ts";
import { enumWord } from "../labels.ts";
import { linkTo } from "../router.ts";
import { Badge, Moment, RefLink, type Tone } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";

const TONES: Readonly<Record<string, Tone>> = { Create: "ok", Update: "info", Delete: "fault" };

function Action({ action }: AuditEntry) {
  const word = enumWord(action, "AUDIT_ACTION");
  return <Badge tone={TONES[word] ?? "plain"}>{word}</Badge>;
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: "When", cell: ({ occurred_at }) => <Moment at={occurred_at} /> },
  { name: "What", cell: (entry) => <Action {...entry} /> },
  { name: "Which", cell: ({ entity }) => <RefLink to={entity} label={entity} /> },
  { name: "Who", cell: ({ actor }) => actor.principal || "anonymous" },
  { name: "Through", cell: ({ request }) => `${enumWord(request.interface, "AUDIT_INTERFACE")} ${request.method}` },
  { name: "Why", cell: ({ message }) => message },
  { name: "Fields", cell: (entry) => <Changed entry={entry} /> },
];

/** Entries of the change log; each opens to what stood before and after. */
export function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <Table
      caption="Changes"
      columns={COLUMNS}
      rows={entries}
      rowKey={({ seq }) => String(seq)}
      empty="No change is recorded."
    />
  );
}

function Changed({ entry: { changed_fields, before, after, entity } }: { readonly entry: AuditEntry }) {
  return (
    <details>
      <summary>{changed_fields.length === 1 ? changed_fields[0] : `${changed_fields.length} fields`}</summary>
      <table class="diff">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changed_fields.map((field) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td>{told(before, field)}</td>
              <td>{told(after, field)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <a href={linkTo("history", entity)}>All changes of this</a>
    </details>
  );
}

function told(state: unknown, path: string): string {
  let value = state;
  for (const step of path.split(".")) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[step];
  if (value === undefined || value === null) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
