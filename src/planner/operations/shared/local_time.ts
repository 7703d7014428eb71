/** The day in local time as ids carry it, `YYYY-MM-DD`. */
export function localDay(time: Date): string {
  return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`;
}

/** Local time as planner_status prints it, `YYYY-MM-DD HH:MM:SS`. */
export function localTime(time: Date): string {
  return `${localDay(time)} ${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}:${twoDigits(time.getSeconds())}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
