/** Time in milliseconds after which every browser has begun to save the file. */
const URL_LIFETIME_MS = 10_000;

/** Saves a file that the page has created, by a browser download. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
}
