package dev.sluice.examples.flashsale.shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalLong;
import org.h2.api.ErrorCode;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * Stock and orders, in the database. No limiter keeps the stock: limits can be lost with Redis, and a limit that each
 * process keeps by itself admits more. The database sells what is there and no more.
 */
public final class Warehouse implements AutoCloseable {
    private final JdbcConnectionPool pool;

    public Warehouse(String url) {
        pool = JdbcConnectionPool.create(url, "sale", "");
        pool.setMaxConnections(10);
    }

    /** Creates the tables, with a stock. */
    public void fill(int stock) {
        inTransaction(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("create table stock (unsold int not null check (unsold >= 0))");
                statement.execute("create table orders (id bigint generated always as identity primary key,"
                        + " shopper varchar(40) not null unique, paid boolean default false not null)");
                return statement.executeUpdate("insert into stock values (" + stock + ")");
            }
        });
    }

    /** An order of the shopper, who has one at most; or none if everything is sold. */
    public OptionalLong take(String shopper) {
        return inTransaction(connection -> {
            try (PreparedStatement insert = connection.prepareStatement(
                            "insert into orders (shopper) values (?)", Statement.RETURN_GENERATED_KEYS);
                    PreparedStatement take =
                            connection.prepareStatement("update stock set unsold = unsold - 1 where unsold > 0")) {
                insert.setString(1, shopper);
                insert.executeUpdate();
                if (take.executeUpdate() == 0) {
                    connection.rollback();
                    return OptionalLong.empty();
                }
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    keys.next();
                    return OptionalLong.of(keys.getLong(1));
                }
            } catch (SQLException e) {
                if (e.getErrorCode() != ErrorCode.DUPLICATE_KEY_1) {
                    throw e;
                }
                connection.rollback();
                return OptionalLong.of(number(connection, "select id from orders where shopper = ?", shopper));
            }
        });
    }

    /** Pays an order, if it is the shopper's. Paying again changes nothing. */
    public boolean pay(long order, String shopper) {
        return inTransaction(connection -> {
            try (PreparedStatement update =
                    connection.prepareStatement("update orders set paid = true where id = ? and shopper = ?")) {
                update.setLong(1, order);
                update.setString(2, shopper);
                return update.executeUpdate() == 1;
            }
        });
    }

    public int unsold() {
        return inTransaction(connection -> (int) number(connection, "select unsold from stock"));
    }

    /** What is there of each at one moment. */
    public record Count(int unsold, int sold, int paid) {}

    /** Counts everything at one moment, which holds sales up meanwhile. */
    public Count count() {
        return inTransaction(connection -> new Count(
                (int) number(connection, "select unsold from stock for update"),
                (int) number(connection, "select count(*) from orders"),
                (int) number(connection, "select count(*) from orders where paid")));
    }

    /** How many shoppers whose names begin with this have an order. */
    public int soldTo(String prefix) {
        return inTransaction(connection ->
                (int) number(connection, "select count(*) from orders where shopper like ?", prefix + "%"));
    }

    @Override
    public void close() {
        pool.dispose();
    }

    private static long number(Connection connection, String query, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private <T> T inTransaction(Work<T> work) {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } catch (SQLException e) {
                connection.rollback();
                throw e;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the database: " + e.getMessage(), e);
        }
    }
}
