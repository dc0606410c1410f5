/** JSON and YAML read token by token, with limits and errors that name line and column. */
@NullMarked
package io.deepvm.catalog.json;

import org.jspecify.annotations.NullMarked;
