import { hourly, rowsBefore } from "../retention/retention-rule.ts";
import { allTables } from "../tables.ts";
import { sessionLife } from "./access-tables.ts";
import { table } from "./declared-table.ts";

const countsKept = 35 * 24 * hourly;

export const consoleTables = {
  minute_outcome: table({
    columns: allTables.minute_outcome,
    retention: () => [rowsBefore("minute_outcome", "minute", { kept: (now) => now - countsKept })],
    backup: "none",
  }),
  minute_duration: table({
    columns: allTables.minute_duration,
    retention: () => [rowsBefore("minute_duration", "minute", { kept: (now) => now - countsKept })],
    backup: "none",
  }),
  sent_form: table({
    columns: allTables.sent_form,
    personal: [
      {
        what: "in answers to operators in the console",
        columns: ["answer"],
        kept: "for hours",
        how: "the last four digits, of an invoice that was checked or of what was found",
        until: `${sessionLife / hourly} hours`,
        isErased: false,
      },
    ],
    retention: () => [rowsBefore("sent_form", "at", { kept: (now) => now - sessionLife })],
    backup: "none",
  }),
  alarm_acknowledgement: table({
    columns: allTables.alarm_acknowledgement,
    retention: () => [rowsBefore("alarm_acknowledgement", "until", { kept: (now) => now })],
    // Alarms of the original store do not concern a restored one.
    backup: "none",
  }),
};
