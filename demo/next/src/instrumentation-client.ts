// Runs before Next's router reads the URL, and before anything is hydrated.
import "matrix-auth-elements/define";
