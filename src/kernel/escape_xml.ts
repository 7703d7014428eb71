/** Matches the characters that XML 1.0 cannot contain, even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the letters that must go
const INVALID_XML_PATTERN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const XML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for an element or attribute of XML or HTML; characters that XML cannot contain become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(INVALID_XML_PATTERN, "\ufffd")
    .replace(/[&<>"']/g, (letter) => XML_ESCAPES[letter] ?? letter);
}
