import { keepsPromises } from "./promises-over-days.ts";

keepsPromises("sqlite", 680);
