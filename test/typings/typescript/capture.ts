// The entry has no exports.
import "matrix-auth-elements/capture";
