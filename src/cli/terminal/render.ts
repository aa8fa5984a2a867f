import { isRow, type Paint, record, shown, table } from "./table.ts";

/** The JSON object that a text holds, or undefined. */
export function readBody(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRow(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** An answer for people: its message, then a table of its list or the lines of its record. */
export function answerText(body: Record<string, unknown>, paint: Paint): string {
  const { payload, message } = opened(body);
  const heading = message === undefined ? "" : `${paint("bold", shown(message))}\n\n`;
  if (Array.isArray(payload)) {
    const rows = payload.map((item) => (isRow(item) ? item : { value: item }));
    return heading + table(rows, paint);
  }
  return heading + record(isRow(payload) ? payload : { value: payload }, paint);
}

/** A failure for people: its message, then code, faults of fields and where it is explained. */
export function failureText(status: number, body: Record<string, unknown>, url: string, paint: Paint): string {
  const { message = "The service answered with a failure." } = body;
  const { code, help, fields, ...facts } = isRow(body.error) ? body.error : {};
  const lines = record(
    {
      ...(code !== undefined && { code }),
      status,
      ...facts,
      ...(Array.isArray(fields) && {
        fields: Object.fromEntries(fields.filter(isRow).map(({ field, message }) => [field, message])),
      }),
      ...(typeof help === "string" && { help: help.startsWith("/") ? url + help : help }),
    },
    paint,
  );
  return `${paint("red", shown(message))}\n\n${lines}`;
}

/** What the envelope holds; the data look-up has a second envelope inside the first. */
function opened({ success, status, error, date, message, ...rest }: Record<string, unknown>): {
  payload: unknown;
  message?: unknown;
} {
  const members = Object.values(rest);
  const only = members.length === 1 ? members[0] : rest;
  if (isRow(only) && "error" in only && "data" in only) return opened(only);
  return { payload: only, ...(message !== undefined && { message }) };
}
