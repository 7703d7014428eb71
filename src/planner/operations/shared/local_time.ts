/** Formats the local day as ids contain it, `YYYY-MM-DD`. */
export function formatLocalDay(time: Date): string {
  return `${time.getFullYear()}-${padTwoDigits(time.getMonth() + 1)}-${padTwoDigits(time.getDate())}`;
}

/** Formats local time as planner_status prints it, `YYYY-MM-DD HH:MM:SS`. */
export function formatLocalTime(time: Date): string {
  return `${formatLocalDay(time)} ${padTwoDigits(time.getHours())}:${padTwoDigits(time.getMinutes())}:${padTwoDigits(time.getSeconds())}`;
}

function padTwoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
