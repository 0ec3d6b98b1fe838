package dev.sluice.examples.flashsale.shop;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** One instance of the shop. */
@SpringBootApplication
public class ShopApplication {
    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }

    @Bean(destroyMethod = "close")
    Warehouse warehouse(@Value("${shop.database}") String url) {
        return new Warehouse(url);
    }
}
