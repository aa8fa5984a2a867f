import { followJournal, type JournalFollower } from "./follow-journal.ts";

/** Follows the journal until nothing waits there, also where one verification has several rows. */
export async function followAll(follower: JournalFollower): Promise<void> {
  while ((await followJournal(follower)) > 0);
}
