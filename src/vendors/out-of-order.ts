/** What only the operator can mend: until then every attempt would fail. The last: this is no rehearsal. */
export const lastingAlarms = ["no_money", "bad_credentials", "bad_settings", "answered_by_stand_in"] as const;

/**
 * `refused`, `bad_response`: the vendor refused the attempts about several people in a row, or its responses were not
 * plausible. `finds_nobody`: it found none of many people in a row. Its interface may have changed, or it takes our
 * credentials for a number that nobody has. We keep sending attempts, because such a response may concern one person
 * only.
 */
export type VendorAlarm = (typeof lastingAlarms)[number] | "refused" | "bad_response" | "finds_nobody";

/** So many people in a row whom a vendor refuses, or about whom it gives implausible responses, raise an alarm. */
export const manyDoubtful = 3;

/** So many people in a row whom a vendor does not find raise an alarm. */
export const manyNotFound = 20;

/**
 * What is wrong with a vendor that has the alarm, and what mends it. It follows the vendor's name, and needs a full
 * stop.
 */
export const alarmTexts: Readonly<Record<VendorAlarm, string>> = {
  no_money:
    "has an empty wallet. Top it up at the vendor; a minute later, the next verification tries the vendor again",
  bad_credentials: "refuses our credentials. It serves no attempt until somebody sets the right ones",
  bad_settings: "refuses our settings. It serves no attempt until somebody corrects them",
  answered_by_stand_in:
    "has a stand-in that answers in its place: its people are invented, so Duba rejects its answers. " +
    "Set the vendor's own address, or rehearse with DUBA_STAND_INS=on and a new data directory or database",
  refused: "refuses all attempts. Its interface or our settings may have changed",
  bad_response: "gives no plausible response. Its interface or our settings may have changed",
  finds_nobody: `found none of ${manyNotFound} people in a row. Check its credentials, its product and our settings`,
};
