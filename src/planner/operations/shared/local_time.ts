/** The day in local time as ids carry it, `YYYY-MM-DD`. */
export function localDay(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** Local time as planner_status prints it, `YYYY-MM-DD HH:MM:SS`. */
export function localTime(time: Date): string {
  return `${localDay(time)} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
