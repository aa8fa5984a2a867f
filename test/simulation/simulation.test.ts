import { keepsItsPromises } from "./promises-over-days.ts";

keepsItsPromises("sqlite");
