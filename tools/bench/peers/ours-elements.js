// This library's four elements in one file, with all that they can load but other languages.
import "matrix-auth-elements/define";
