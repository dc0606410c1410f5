/** CSV tables read by column name, with limits and errors that name line and column. */
@NullMarked
package io.deepvm.catalog.csv;

import org.jspecify.annotations.NullMarked;
