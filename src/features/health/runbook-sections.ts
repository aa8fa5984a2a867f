/** The RUNBOOK.md heading for each alarm, by the part of the alarm's name before the colon. */
export const runbookSections: Readonly<Record<string, string>> = {
  store: "DubaStoreAway",
  "no-instance": "DubaDown",
  "no-vendor": "DubaNoVendor",
  room: "DubaStoreNeedsRoom",
  clock: "The clock",
  retention: "The clock",
  vendor: "DubaVendorAlarm",
  unknown: "DubaUnknownVerifications",
  unsealed: "DubaAuditUnsealed",
  held: "DubaCatalogueHeld",
  source: "DubaCatalogueStale",
  backup: "DubaBackupOld",
  "dead-events": "DubaEventsDead",
};

/** Returns the heading of an alarm's section, or undefined. */
export function runbookSection(alarm: string): string | undefined {
  return runbookSections[alarm.split(":")[0]!];
}

/** Returns a link to an alarm's section, or undefined. */
export function runbookLink(url: string, alarm: string): string | undefined {
  const section = runbookSection(alarm);
  return url === "" || section === undefined ? undefined : `${url}#${section.toLowerCase().replaceAll(" ", "-")}`;
}
