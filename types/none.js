// The files beside this one hold nothing but types: there is nothing to run.
export {};
