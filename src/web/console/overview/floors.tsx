import type { RackTile } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import type { FloorOverview } from "../api/replies.ts";
import { useCall } from "../api/use_call.ts";
import { formatQuantity } from "../labels.ts";
import { formatPageUrl } from "../router.ts";
import { Card, HealthCounts } from "../ui/parts.tsx";

/** Maximum number of racks of a floor that are drawn as a plan; larger floors show only counts. */
const MAX_DRAWN_RACKS = 1500;

interface FloorCardProps {
  readonly site: string;
  readonly floor: FloorOverview;
}

/** Card of a floor with a plan that shows the effect of the worst single failure on each rack. */
export function FloorCard({ site, floor }: FloorCardProps) {
  const { floor_ref, floor_number, racks, cracs, devices } = floor;
  const plan = useCall("FloorPlan", { floor_ref, render: { format: "RENDER_FORMAT_NONE", coloring: "COLORING_RISK" } });
  const placed = plan.reply?.racks ?? [];
  return (
    <Card title={site} action={<a href={formatPageUrl("floor", floor_ref)}>Floor {floor_number}</a>}>
      <p class="muted">
        {formatQuantity(racks, "rack")} · {formatQuantity(devices, "device")} · {formatQuantity(cracs, "cooling unit")}
      </p>
      {plan.error === undefined ? null : <p role="alert">{plan.error.message}</p>}
      {plan.reply === undefined ? null : (
        <>
          {placed.length === 0 ? <p class="muted">No rack has a place on the plan.</p> : null}
          {placed.length > 0 && placed.length <= MAX_DRAWN_RACKS ? (
            <FloorMiniPlan racks={placed} name={getRefName(floor_ref)} />
          ) : null}
          <ImpactLegend racks={[...placed, ...plan.reply.unplaced_racks]} />
          <HealthCounts counts={plan.reply.counts} />
        </>
      )}
    </Card>
  );
}

function getRackImpact({ risk }: RackTile): "dark" | "partial" | "safe" {
  if (risk === "RACK_RISK_DARK") return "dark";
  return risk === "RACK_RISK_PARTIAL" ? "partial" : "safe";
}

/** Legend texts by impact, for one rack and for several. */
const IMPACT_LABELS = {
  dark: ["goes dark", "go dark"],
  partial: ["loses several devices", "lose several devices"],
  safe: ["stays on or loses one device", "stay on or lose one device"],
} as const;

/** Margin around the racks, in millimetres. */
const PLAN_MARGIN_MM = 600;

function FloorMiniPlan({ racks, name }: { racks: readonly RackTile[]; name: string }) {
  const boxes = racks.flatMap((rack) =>
    rack.placement === undefined ? [] : [{ rack, ...rotateFootprint(rack.placement) }],
  );
  const left = Math.min(...boxes.map(({ x }) => x)) - PLAN_MARGIN_MM;
  const top = Math.min(...boxes.map(({ y }) => y)) - PLAN_MARGIN_MM;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + PLAN_MARGIN_MM;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + PLAN_MARGIN_MM;
  return (
    <svg class="mini-plan" viewBox={`${left} ${top} ${right - left} ${bottom - top}`}>
      <title>{`Plan of ${name}`}</title>
      {boxes.map(({ rack, x, y, width, height }) => {
        const what = getRackImpact(rack);
        const [middle, centre] = [x + width / 2, y + height / 2];
        return (
          <a
            key={rack.code}
            href={formatPageUrl("rack", rack.code)}
            aria-label={`${rack.code} ${IMPACT_LABELS[what][0]}`}
            tabIndex={-1}
          >
            <title>{`${rack.code}: ${IMPACT_LABELS[what][0]} after one failure`}</title>
            <rect class={what} x={x} y={y} width={width} height={height} rx="60" />
            {what === "dark" ? (
              <path d={`M${middle - 130} ${centre - 130}l260 260m0 -260l-260 260`} />
            ) : what === "partial" ? (
              <path d={`M${middle} ${centre - 150}l160 280h-320z`} />
            ) : null}
          </a>
        );
      })}
    </svg>
  );
}

/** Returns the rectangle that a rotated footprint occupies on the floor. */
function rotateFootprint({ x_mm, y_mm, width_mm, depth_mm, rotation_deg }: NonNullable<RackTile["placement"]>) {
  const isAcross = rotation_deg % 180 !== 0;
  return { x: x_mm, y: y_mm, width: isAcross ? depth_mm : width_mm, height: isAcross ? width_mm : depth_mm };
}

function ImpactLegend({ racks }: { readonly racks: readonly RackTile[] }) {
  const countRacks = (what: keyof typeof IMPACT_LABELS) => racks.filter((rack) => getRackImpact(rack) === what).length;
  return (
    <ul class="plan-legend" aria-label="After one failure">
      {(["dark", "partial", "safe"] as const).map((what) => (
        <li key={what}>
          <svg viewBox="0 0 16 16" class="mini-plan key" aria-hidden="true">
            <rect class={what} x="1" y="1" width="14" height="14" rx="2" />
          </svg>
          {formatCount(countRacks(what))} {IMPACT_LABELS[what][countRacks(what) === 1 ? 0 : 1]}
        </li>
      ))}
    </ul>
  );
}
