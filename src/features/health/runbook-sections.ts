/** The heading of RUNBOOK.md about an alarm, by the first part of its name. */
export const runbookSections: Readonly<Record<string, string>> = {
  store: "DubaStoreAway",
  "no-instance": "DubaDown",
  "no-vendor": "DubaNoVendor",
  room: "DubaStoreNeedsRoom",
  clock: "The clock",
  retention: "The clock",
  vendor: "DubaVendorAlarm",
  paused: "DubaVendorPaused",
  unknown: "DubaUnknownVerifications",
  unsealed: "DubaAuditUnsealed",
  held: "DubaCatalogueHeld",
  source: "DubaCatalogueStale",
  backup: "DubaBackupOld",
  "dead-events": "DubaEventsDead",
};

/** A link to the section about an alarm. Undefined if there is none. */
export function runbookLink(url: string, alarm: string): string | undefined {
  const section = runbookSections[alarm.split(":")[0]!];
  return url === "" || section === undefined ? undefined : `${url}#${section.toLowerCase().replaceAll(" ", "-")}`;
}
