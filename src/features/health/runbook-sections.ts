/** The heading of RUNBOOK.md about an alarm, by the first part of its name. */
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

/** The section about an alarm. Undefined if there is none. */
export function runbookSection(alarm: string): string | undefined {
  return runbookSections[alarm.split(":")[0]!];
}

/** A link to the section about an alarm. Undefined if there is none. */
export function runbookLink(url: string, alarm: string): string | undefined {
  const section = runbookSection(alarm);
  return url === "" || section === undefined ? undefined : `${url}#${section.toLowerCase().replaceAll(" ", "-")}`;
}
