/**
 * Alarms during which every attempt would fail, until the operator acts. `answered_by_stand_in`: a stand-in answered a
 * service that is not in rehearsal.
 */
export const lastingAlarms = ["no_money", "bad_credentials", "bad_settings", "answered_by_stand_in"] as const;

/**
 * `refused`, `bad_response`: the vendor refused attempts about several people in a row, or gave implausible responses.
 * `finds_nobody`: many people in a row had no match. The vendor's API may have changed, or the vendor answers bad
 * credentials as an unknown number. Attempts continue, because such a response may concern one person only.
 */
export type VendorAlarm = (typeof lastingAlarms)[number] | "refused" | "bad_response" | "finds_nobody";

/** After this many people in a row with refusals or implausible responses, an alarm is raised. */
export const manyDoubtful = 3;

/** After this many people in a row without a match, an alarm is raised. */
export const manyNotFound = 20;

/** The problem and the remedy of each alarm. The text follows the vendor's name, and lacks the full stop. */
export const alarmTexts: Readonly<Record<VendorAlarm, string>> = {
  no_money: "has an empty wallet. Top up at the vendor, then try it. A verification tries it a minute later, too",
  bad_credentials: "refuses our credentials. It serves no attempt until somebody sets the right ones",
  bad_settings: "refuses our settings. It serves no attempt until somebody corrects them",
  answered_by_stand_in:
    "has a stand-in that answers in its place: its people are invented, so Duba rejects its answers. " +
    "Set the vendor's own address, or rehearse with DUBA_STAND_INS=on and a new data directory or database",
  refused: "refuses all attempts. Its interface or our settings may have changed",
  bad_response: "gives no plausible response. Its interface or our settings may have changed",
  finds_nobody: `found none of ${manyNotFound} people in a row. Check its credentials, its product and our settings`,
};
