import type { Port } from "#gen/datacenter/v1/json.ts";
import { formatBandwidth } from "#words/figures.ts";
import { formatEnum, formatPortType } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { ReplyView } from "../ui/answer.tsx";
import { Card } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";

const PORT_COLUMNS: readonly Column<Port>[] = [
  { name: "Port", cell: ({ name }) => name },
  { name: "Kind", cell: ({ kind }) => formatEnum(kind, "PORT_KIND") },
  { name: "Type", cell: ({ type }) => formatPortType(type) },
  { name: "Speed", numeric: true, cell: ({ speed_mbps }) => formatBandwidth(speed_mbps) },
];

/** Ports and bays of a device type in the catalogue. */
export function TypePorts({ code }: { readonly code: string }) {
  const asked = useCall("datacenter.v1.PlanningService/GetDeviceType", { code });
  return (
    <Card title="Ports and bays">
      <ReplyView asked={asked}>
        {({ device_type: { ports, bays } }) => (
          <>
            <Table
              caption="Ports of each device of the type"
              columns={PORT_COLUMNS}
              rows={ports}
              rowKey={({ name }) => name}
              empty="The type has no ports."
            />
            {bays.length === 0 ? null : <p>Bays: {bays.join(", ")}</p>}
          </>
        )}
      </ReplyView>
    </Card>
  );
}
