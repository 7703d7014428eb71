import type { Estate, EstateFloor, FloorPlan } from "../api/replies.ts";
import { mayWrite, useSession } from "../api/session.ts";
import { useCall, useRead } from "../api/use_call.ts";
import { count, counted } from "../labels.ts";
import { linkTo } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { PageHead } from "../ui/page.tsx";
import { Card, Empty, Figure, Figures, HealthCounts } from "../ui/parts.tsx";

/** Where a person begins: every site and floor, and how their racks are. */
export function Overview() {
  const estate = useRead<Estate>("/estate", {});
  return (
    <>
      <PageHead title="Overview" />
      <Answer asked={estate}>{(reply) => <Sites estate={reply} />}</Answer>
    </>
  );
}

function Sites({ estate: { sites, fabrics, totals } }: { readonly estate: Estate }) {
  const { reply: session } = useSession();
  return (
    <>
      <Figures>
        <Figure label="Racks" value={count(totals.racks)} />
        <Figure label="Devices" value={count(totals.devices)} />
        <Figure label="Cooling units" value={count(totals.cracs)} />
        <Figure label="Cables" value={count(totals.cables)} />
        <Figure label="Fabric links" value={count(totals.fabric_links)} />
      </Figures>
      {sites.length === 0 ? (
        <Empty>
          Nothing is recorded yet.{" "}
          {mayWrite(session) ? (
            <a href={linkTo("import")}>Import a file</a>
          ) : (
            "Somebody with role writer may import a file"
          )}
          , or run <code>planner dc sample</code>.
        </Empty>
      ) : null}
      {sites.map(({ site_id, floors }) => (
        <Card key={site_id} title={site_id} action={<a href={linkTo("thermal", `site:${site_id}`)}>Cooling</a>}>
          <ul class="tiles">
            {floors.map((floor) => (
              <Floor key={floor.floor_ref} floor={floor} />
            ))}
          </ul>
        </Card>
      ))}
      {fabrics.length === 0 ? null : (
        <Card title="Fabrics">
          <ul class="tiles">
            {fabrics.toSorted(byNumber).map(({ fabric_id, links }) => (
              <li key={fabric_id} class="tile">
                <a href={linkTo("fabric", fabric_id)}>{fabric_id === "" ? "(no name)" : fabric_id}</a>
                <span class="muted">{counted(links, "link")}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

const { compare } = new Intl.Collator("en", { numeric: true });

/** FAB2 before FAB10. */
function byNumber(a: Estate["fabrics"][number], b: Estate["fabrics"][number]): number {
  return compare(a.fabric_id, b.fabric_id);
}

function Floor({ floor: { floor_ref, floor_number, racks, cracs, devices } }: { readonly floor: EstateFloor }) {
  const plan = useCall<FloorPlan>("FloorPlan", { floor_ref, render: { format: "RENDER_FORMAT_NONE" } });
  const counts = plan.reply?.counts;
  return (
    <li class="tile">
      <a href={linkTo("floor", floor_ref)}>Floor {floor_number}</a>
      <span class="muted">
        {counted(racks, "rack")} · {counted(devices, "device")} · {counted(cracs, "cooling unit")}
      </span>
      {counts === undefined ? (
        <span class="muted">{plan.error?.message ?? "…"}</span>
      ) : (
        <HealthCounts counts={counts} />
      )}
    </li>
  );
}
